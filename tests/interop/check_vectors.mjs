// Checks the vectors of commits, derivations and logins with WebCrypto alone: node check_vectors.mjs
// Prints one line for each vector that holds, and exits with 1 at the first that does not.

import { readFileSync } from "node:fs";
import { webcrypto } from "node:crypto";
import assert from "node:assert/strict";

const { subtle } = webcrypto;
const folder = new URL("vectors/", import.meta.url);
const load = (name) => JSON.parse(readFileSync(new URL(`${name}.json`, folder), "utf-8"));
const hex = (text) => Uint8Array.from(Buffer.from(text, "hex"));
const text = (string) => new TextEncoder().encode(string);
const join = (...parts) => Uint8Array.from(Buffer.concat(parts.map((part) => Buffer.from(part))));
const show = (bytes) => Buffer.from(bytes).toString("hex");
const number = (value, size) => {
  const out = Buffer.alloc(size);
  if (size === 8) out.writeBigUInt64BE(BigInt(value));
  else out.writeUIntBE(value, 0, size);
  return out;
};

const digest = async (name, ...parts) => new Uint8Array(await subtle.digest(name, join(...parts)));

async function hmac(hash, key, ...parts) {
  const imported = await subtle.importKey("raw", key, { name: "HMAC", hash }, false, ["sign"]);
  return new Uint8Array(await subtle.sign("HMAC", imported, join(...parts)));
}

async function hkdf(key, info) {
  const imported = await subtle.importKey("raw", key, "HKDF", false, ["deriveBits"]);
  const options = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info };
  return new Uint8Array(await subtle.deriveBits(options, imported, 256));
}

async function signedBy(signing, signature, message) {
  const key = await subtle.importKey("raw", signing, "Ed25519", false, ["verify"]);
  return subtle.verify("Ed25519", key, signature, message);
}

const devices = Object.fromEntries(
  load("keys").filter((v) => v.expect === "ok").map((v) => [v.name, { id: v.device, signing: hex(v.signing) }]),
);

// The code of the error that reading a commit ends with, or the fields of the commit.
async function readCommit(data, author, channelKey) {
  if (data.length < 300 || data.length > 1 << 20) return "malformed-bytes";
  if (show(data.subarray(0, 4)) !== show(join(text("VM"), [1, 1]))) return "malformed-bytes";
  const view = Buffer.from(data);
  const fields = {
    vault: show(data.subarray(4, 20)),
    channel: show(data.subarray(20, 36)),
    device: show(data.subarray(36, 52)),
    epoch: view.readUInt32BE(52),
    generation: view.readUInt32BE(56),
    seq: Number(view.readBigUInt64BE(60)),
    previous: show(data.subarray(68, 100)),
    nonce: show(data.subarray(100, 124)),
  };
  const first = /^0+$/.test(fields.previous);
  if (fields.epoch === 0 || fields.seq === 0 || first !== (fields.seq === 1)) return "malformed-bytes";
  if (fields.device !== author.id) return "bad-signature";
  const unsigned = data.subarray(0, -64);
  const message = join(text("vademecum/commit-signature/v1"), await digest("SHA-512", unsigned));
  if (!(await signedBy(author.signing, data.subarray(-64), message))) return "bad-signature";
  const derived = await hmac("SHA-512", channelKey, text("vademecum/commit/v1"), data.subarray(100, 124));
  if (show(derived.subarray(32)) !== show(data.subarray(124, 156))) return "cannot-decrypt";
  const key = await subtle.importKey("raw", derived.subarray(0, 32), "AES-GCM", false, ["decrypt"]);
  const options = { name: "AES-GCM", iv: new Uint8Array(12), additionalData: data.subarray(0, 156) };
  try {
    fields.plaintext = show(new Uint8Array(await subtle.decrypt(options, key, data.subarray(156, -64))));
  } catch (error) {
    assert.equal(error.name, "OperationError");
    return "cannot-decrypt";
  }
  fields.hash = show(await digest("SHA-256", data));
  return fields;
}

for (const v of load("commit")) {
  const read = await readCommit(hex(v.commit), devices[v.author], hex(v.channel_key));
  if (v.expect !== "ok") assert.equal(read, v.expect, v.name);
  else for (const [name, value] of Object.entries(read)) assert.equal(value, v[name], `${v.name}: ${name}`);
  console.log(`commit: ${v.name}`);
}

for (const v of load("derivations")) {
  if (v.name === "vault id") {
    const id = await digest("SHA-256", text("vademecum/vault/v1"), hex(v.signing), hex(v.salt));
    assert.equal(show(id.subarray(0, 16)), v.vault);
  } else if (v.name === "channel id") {
    const id = await hmac("SHA-256", hex(v.naming_key), text("vademecum/channel/v1"), text(v.scope));
    assert.equal(show(id.subarray(0, 16)), v.channel);
  } else if (v.name === "channel key") {
    const info = join(text("vademecum/channel-key/v1"), number(v.epoch, 4), hex(v.channel));
    assert.equal(show(await hkdf(hex(v.epoch_key), info)), v.channel_key);
  } else if (v.name === "fingerprint") {
    const [lesser, greater] = [v.a, v.b].sort();
    const all = await digest("SHA-256", text("vademecum/fingerprint/v1"), hex(v.vault), hex(lesser), hex(greater));
    const digits = (BigInt(`0x${show(all)}`) % 10n ** 16n).toString().padStart(16, "0");
    assert.equal(digits.match(/.{4}/g).join(" "), v.fingerprint);
  } else if (v.name === "vault secrets") {
    const message = join(text("vademecum/epoch-check/v1"), hex(v.vault), number(v.epoch, 4), hex(v.naming_key));
    assert.equal(show((await hmac("SHA-256", hex(v.epoch_key), message)).subarray(0, 16)), v.epoch_check);
  } else assert.fail(`no check for ${v.name}`);
  console.log(`derivation: ${v.name}`);
}

for (const v of load("login")) {
  const place = text(v.origin);
  const author = devices[v.author];
  const message = join(
    text("vademecum/login/v1"), number(place.length, 2), place, hex(v.vault), hex(author.id), hex(v.nonce), number(v.expiry_ms, 8),
  );
  const valid = v.now_ms < v.expiry_ms && (await signedBy(author.signing, hex(v.signature), message));
  assert.equal(valid ? "ok" : "bad-signature", v.expect, v.name);
  console.log(`login: ${v.name}`);
}
