import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import {
  bracketMatching,
  HighlightStyle,
  indentOnInput,
  indentUnit,
  StreamLanguage,
  syntaxHighlighting,
} from "@codemirror/language";
import { json } from "@codemirror/legacy-modes/mode/javascript";
import { lua } from "@codemirror/legacy-modes/mode/lua";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { EditorState } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";

export interface EditorOptions {
  text: string;
  path: string;
  isReadOnly: boolean;
  onChange(): void;
  onSave(): void;
}

export interface Editor {
  text(): string;
  close(): void;
}

const colours = HighlightStyle.define([
  { tag: tags.keyword, color: "light-dark(#8250df, #c6a0f6)" },
  { tag: tags.string, color: "light-dark(#0a5c36, #a6da95)" },
  { tag: tags.comment, color: "light-dark(#5b6660, #93a19a)", fontStyle: "italic" },
  { tag: [tags.number, tags.atom, tags.bool], color: "light-dark(#9a3b00, #f5a97f)" },
  {
    tag: [tags.function(tags.variableName), tags.standard(tags.variableName)],
    color: "light-dark(#0b5cad, #8aadf4)",
  },
]);

const theme = EditorView.theme({
  "&": { height: "100%", fontSize: "14px", backgroundColor: "transparent", color: "inherit" },
  ".cm-scroller": { fontFamily: "var(--mono)", overflow: "auto" },
  ".cm-gutters": { backgroundColor: "transparent", color: "var(--muted)", border: "none" },
  ".cm-activeLine": { backgroundColor: "light-dark(#0000000a, #ffffff0a)" },
  ".cm-cursor": { borderLeftColor: "currentColor" },
  "&.cm-focused": { outline: "none" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "light-dark(#b6dfc3, #2f5a3f) !important",
  },
});

/**
 * In a shadow root, where CodeMirror uses constructed style sheets, which the page's CSP against
 * inline styles allows.
 */
export function openEditor(place: HTMLElement, options: EditorOptions): Editor {
  const root = place.shadowRoot ?? place.attachShadow({ mode: "open" });
  const { text, path, isReadOnly, onChange, onSave } = options;
  const save = () => {
    onSave();
    return true;
  };
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        history(),
        drawSelection(),
        indentOnInput(),
        bracketMatching(),
        highlightActiveLine(),
        highlightSelectionMatches(),
        indentUnit.of("  "),
        StreamLanguage.define(path.endsWith(".json") ? json : lua),
        syntaxHighlighting(colours),
        theme,
        EditorState.readOnly.of(isReadOnly),
        EditorView.contentAttributes.of({ "aria-label": `The file ${path}` }),
        EditorView.updateListener.of(({ docChanged }) => {
          if (docChanged) onChange();
        }),
        keymap.of([
          { key: "Mod-s", run: save, preventDefault: true },
          ...defaultKeymap,
          ...historyKeymap,
          ...searchKeymap,
          // Escape, then Tab, leaves the editor.
          indentWithTab,
        ]),
      ],
    }),
  });
  return { text: () => view.state.doc.toString(), close: () => view.destroy() };
}
