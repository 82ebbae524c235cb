// Loaded only when needed, so that pages without passwords and pictures need no second package. The Web Crypto of
// browsers has no MD5, and none at all on pages without https.
const load = async () => {
  const [{ md5 }, { sha256 }, { bytesToHex }] = await Promise.all([
    import("@noble/hashes/legacy.js"),
    import("@noble/hashes/sha2.js"),
    import("@noble/hashes/utils.js"),
  ]);
  return { md5, sha256, bytesToHex };
};

/** Return the MD5 of a password, which is the form in which the server expects the old one. */
export async function passwordDigest(password: string): Promise<string> {
  const { md5, bytesToHex } = await load();
  return bytesToHex(md5(new TextEncoder().encode(password)));
}

/** Return the SHA-256 of a file. */
export async function fileDigest(file: Blob): Promise<string> {
  const { sha256, bytesToHex } = await load();
  return bytesToHex(sha256(new Uint8Array(await file.arrayBuffer())));
}
