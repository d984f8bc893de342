import type { FastifyReply, FastifyRequest } from "fastify";

export interface Page {
  title: string;
  parts: readonly ({ text: string } | { lines: readonly string[] })[];
}

export function isBrowser({ headers }: FastifyRequest): boolean {
  return /\btext\/html\b/i.test(headers.accept ?? "");
}

export function sendPage(request: FastifyRequest, reply: FastifyReply, page: Page): FastifyReply {
  const asHtml = isBrowser(request);
  return reply
    .type(`${asHtml ? "text/html" : "text/plain"}; charset=utf-8`)
    .header("Cache-Control", "no-cache")
    .header("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
    .header("Vary", "Accept")
    .header("X-Content-Type-Options", "nosniff")
    .send(asHtml ? html(page) : plain(page));
}

function plain({ title, parts }: Page): string {
  const paragraphs = parts.map((part) =>
    "text" in part ? part.text : part.lines.map((line) => `  ${line}`).join("\n"),
  );
  return `${[title, ...paragraphs].join("\n\n")}\n`;
}

const style =
  "body{font:1rem/1.5 system-ui,sans-serif;max-width:46rem;margin:3rem auto;padding:0 1rem;color-scheme:light dark}pre{padding:.75rem 1rem;background:#8882;border-radius:.4rem;white-space:pre-wrap;overflow-wrap:anywhere}";

function html({ title, parts }: Page): string {
  const paragraphs = parts.map((part) =>
    "text" in part
      ? `<p>${escaped(part.text)}</p>`
      : `<pre>${part.lines.map(escaped).join("\n")}</pre>`,
  );
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escaped(title)}</title>
<style>${style}</style>
<h1>${escaped(title)}</h1>
${paragraphs.join("\n")}
</html>
`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
