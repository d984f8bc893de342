/** Reads the body of an untrusted response. Throws when it is longer than `maxBytes`. */
export async function readAtMost(response: Response, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes) throw new Error("the answer is too long for a ccbridge");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
