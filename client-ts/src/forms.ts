import { fileDigest } from "./digests.js";

/** A form as it is sent, and its type. */
export interface Form {
  body: Blob;
  type: string;
}

/** Return a form with texts and one file.
 *
 * The boundary is made from the file, so that a repetition with the same Idempotency-Key sends the same body.
 */
export async function formOf(member: string, file: Blob, name?: string, texts: object = {}): Promise<Form> {
  const boundary = await fileDigest(file);
  const head = (disposition: string): string => `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n`;
  const parts: BlobPart[] = [];
  for (const [text, value] of Object.entries(texts)) {
    if (value !== undefined && value !== null) {
      parts.push(`${head(`name="${escaped(text)}"`)}\r\n${value}\r\n`);
    }
  }
  const shown = name ?? ("name" in file ? String(file.name) : "file");
  parts.push(`${head(`name="${member}"; filename="${escaped(shown)}"`)}Content-Type: `);
  parts.push(`${file.type || "application/octet-stream"}\r\n\r\n`, file, `\r\n--${boundary}--\r\n`);
  return { body: new Blob(parts), type: `multipart/form-data; boundary=${boundary}` };
}

/** Return the options of a call that sends the form. */
export function withForm<Options extends { headers: object }>(options: Options, form: Form) {
  const headers = { ...options.headers, "Content-Type": form.type };
  return { ...options, headers, bodySerializer: () => form.body };
}

function escaped(name: string): string {
  const escapes: Record<string, string> = { '"': "%22", "\r": "%0D", "\n": "%0A" };
  return name.replace(/["\r\n]/g, (character) => escapes[character] ?? "");
}
