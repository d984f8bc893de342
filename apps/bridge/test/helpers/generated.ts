export function withSection(document: string, name: string, content: string): string {
  const [begin, end] = [`<!-- generated: ${name} -->`, "<!-- /generated -->"];
  const from = document.indexOf(begin);
  const to = document.indexOf(end, from);
  if (from < 0 || to < 0) throw new Error(`the markers of ${name} are missing`);
  return `${document.slice(0, from + begin.length)}\n${content}\n${document.slice(to)}`;
}
