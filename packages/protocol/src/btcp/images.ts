export interface Image {
  data: string;
  mimeType: string;
}

const base64Pattern = /^[A-Za-z0-9+/]+={0,2}$/;
const dataUrl = /^data:[^,]{0,200};base64,/;

/** Magic numbers; -1 matches any byte. */
const signatures: readonly (readonly [mimeType: string, bytes: readonly number[]])[] = [
  ["image/png", [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ["image/jpeg", [0xff, 0xd8, 0xff]],
  ["image/gif", [0x47, 0x49, 0x46, 0x38]],
  ["image/webp", [0x52, 0x49, 0x46, 0x46, -1, -1, -1, -1, 0x57, 0x45, 0x42, 0x50]],
];

export function isBase64(text: string): boolean {
  return text.length % 4 === 0 && base64Pattern.test(text);
}

/** From base64 or a `data:` URL; undefined unless the magic number matches an image. */
export function imageOf(text: string): Image | undefined {
  const written = text.replace(dataUrl, "");
  // Some encoders omit the padding that others require.
  const data = written.padEnd(Math.ceil(written.length / 4) * 4, "=");
  if (!isBase64(data)) return undefined;
  const head = atob(data.slice(0, 16));
  const found = signatures.find(([, bytes]) =>
    bytes.every((byte, at) => byte === -1 || head.charCodeAt(at) === byte),
  );
  return found === undefined ? undefined : { data, mimeType: found[0] };
}
