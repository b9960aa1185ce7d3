"""Text that looks like an instruction to the memory or to a model. Pure.

Such text changes nothing by itself: a candidate whose own words match is refused, and one that merely stands in the
same message is not taken at its word (see `guards`). The list need not be complete to be safe: nothing here gives a
text any power, it only keeps the more blatant ones from being kept as if the person had said them of themselves.
"""

from __future__ import annotations

import re

from .wording import one_line

__all__ = ["looks_like_instruction"]

_PATTERNS = (
    # English
    r"\b(?:ignore|disregard|override|forget)\b.{0,40}\b(?:instructions?|prompts?|rules|guidelines|memor(?:y|ies))\b",
    r"\bforget\s+(?:everything|all\b(?!\s+the\s+time))",
    r"\byou\s+are\s+now\b",
    r"\bas\s+an?\s+(?:ai|llm|(?:language\s+)?model|chat\s?bot|assistant)\b.{0,20}\byou\b",
    r"\b(?:never|do\s+not|don'?t)\s+refuse\b",
    r"\b(?:obey|comply\s+with)\s+(?:me\b|(?:all|any|every)\b)",
    r"\b(?:store|save|record|remember|note|add|keep|log)\b.{0,40}\bas\s+(?:if\s+)?(?:the|a|an|this)?\s*"
    r"(?:user|person|owner|customer|human)(?:'s|’s|s)?\b",
    r"\b(?:delete|erase|wipe|remove|purge|clear|drop|destroy)\s+(?:everything|(?:all|every|the\s+(?:entire|whole))\b"
    r".{0,40}\b(?:memor(?:y|ies)|data|records?|profile|history|preferences|entries|knowledge))",
    r"\bsystem\s+(?:prompt|message|override)\b",
    r"\b(?:do\s+not|don'?t|never)\s+(?:tell|inform|ask|alert|notify)\s+the\s+(?:user|person|owner|human)\b",
    r"\bthe\s+(?:user|human)\s+(?:wants|wishes|prefers|likes|loves|hates|has\s+asked|asked|agreed|is|has|must|said)\b",
    # marks of chat templates
    r"<\|?/?(?:im_start|im_end|system|assistant|user|tool)\|?>",
    r"\[/?(?:INST|SYS)\]|<</?SYS>>",
    r"^\s*(?:system|assistant|developer)\s*:",
    # German
    r"\b(?:ignoriere?|missachte|vergiss)\b.{0,40}\b(?:anweisung|anweisungen|regeln|vorgaben|prompt|erinnerungen)\b",
    r"\bvergiss\s+(?:alles|alle)\b",
    r"\bdu\s+bist\s+(?:jetzt|nun|ab\s+jetzt|ab\s+sofort)\s+(?:ein|eine|der|die)\b",
    r"\blösch(?:e|en)?\s+(?:alles|alle|sämtliche)\b",
    r"\bals\s+(?:wunsch|vorliebe|bitte|anweisung)\s+(?:des|der)\s+(?:nutzers|nutzerin|benutzers|person)\b",
    # Spanish
    r"\b(?:ignora|olvida|desestima)\b.{0,40}\b(?:instrucciones|reglas|indicaciones|recuerdos)\b",
    r"\bolvida(?:lo)?\s+todo\b",
    r"\b(?:ahora\s+eres|eres\s+ahora)\b",
    r"\b(?:borra|elimina|suprime)\s+(?:todo|todos|todas)\b",
    r"\bcomo\s+(?:un\s+|el\s+)?(?:deseo|preferencia|petición)\s+del\s+usuario\b",
    # French
    r"\b(?:ignore[zr]?|oublie[zr]?)\b.{0,40}\b(?:instructions|consignes|règles|souvenirs)\b",
    r"\boublie[zr]?\s+tout\b",
    r"\b(?:tu\s+es|vous\s+êtes)\s+(?:maintenant|désormais)\s+(?:un|une|le|la)\b",
    r"\b(?:supprime|efface)[zr]?\s+(?:tout|toutes|tous)\b",
    r"\bcomme\s+(?:un\s+|le\s+)?(?:souhait|préférence|demande)\s+de\s+l['’]utilisat",
    # Chinese
    r"(?:忽略|无视|無視|忘记|忘掉|忘記).{0,8}(?:指令|指示|提示|规则|規則|记忆|記憶|一切|所有|全部)",
    r"(?:你现在是|你現在是|从现在起你是|從現在起你是)",
    r"(?:删除|刪除|清除|清空).{0,4}(?:所有|全部|一切)",
    r"(?:作为|作為|为|為|成).{0,3}(?:用户|用戶|使用者)的?(?:愿望|願望|偏好|意愿|要求)",
    # Japanese
    r"(?:指示|命令|ルール|プロンプト|記憶).{0,4}(?:無視|忘れ|消去|削除)",
    r"(?:すべて|全て|全部).{0,3}(?:忘れ|削除|消去)",
    r"(?:あなた|君)は(?:今|これ)から",
    r"ユーザーの(?:希望|好み|願い|要望)として",
)
_LOOKS = re.compile("|".join(f"(?:{pattern})" for pattern in _PATTERNS), re.IGNORECASE)


def looks_like_instruction(text: str) -> bool:
    """Whether some line of *text* looks like an instruction to whoever reads it. O(length)."""
    return any(_LOOKS.search(one_line(line)) for line in text.splitlines())
