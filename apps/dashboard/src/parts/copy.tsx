import { useSignal } from "@preact/signals";

export function Copy({ text, label }: { text: string; label: string }) {
  return (
    <div class="copy">
      <pre>
        {text
          .split(/(\S+)/)
          .map((part, index) => (index % 2 === 0 ? part : <span class="word">{part}</span>))}
      </pre>
      <CopyButton text={() => text} label={label} />
    </div>
  );
}

export function CopyButton({ text, label }: { text(): string; label: string }) {
  const isCopied = useSignal(false);
  const copy = async () => {
    await copyText(text());
    isCopied.value = true;
    setTimeout(() => {
      isCopied.value = false;
    }, 2_000);
  };
  return (
    <button type="button" onClick={copy} aria-label={`Copy ${label}`}>
      {isCopied.value ? "Copied" : "Copy"}
    </button>
  );
}

/** Without TLS, only localhost has the clipboard API. */
async function copyText(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text);
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}
