"""Sentences to vectors, and the two indexes that recall searches: by meaning and by words.

================  ====================================================================================
``embedder``      `Embedder`, and `OnnxEmbedder`, which runs the model shipped in ``models/``
``entailment``    `OnnxEntailment`, which runs an inference model that a person supplies
``runtime``       onnxruntime and tokenizers as both use them
``vector_index``  `VectorIndex`: nearest vectors, exactly while there are few, by HNSW beyond
``vector_file``   the bytes of a saved vector index, without I/O
``text_index``    `TextIndex`: SQLite's FTS5, one table per scope, shared by several processes
``sealed_…``      ``…text_index``: the same in memory, kept as one encrypted file
``words``         how text becomes the words of the text index, without I/O
``conditions``    `IndexDamaged`
================  ====================================================================================

This layer knows nothing of memories: entries are ids, texts and vectors that the caller names. Both indexes are
derived data. They may be deleted at any time and are filled again from the store that the caller keeps.

Importing this package, `embedder` or `text_index` loads neither numpy nor onnxruntime nor hnswlib; a program that
only reads and writes starts without them.
"""
