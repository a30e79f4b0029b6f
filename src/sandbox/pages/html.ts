/** Markup that is safe to send. */
export interface Html {
  readonly markup: string
}

type Part = string | number | Html | ReadonlyArray<Html>

const escaped: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

const markupOf = (part: Part): string => {
  if (typeof part === "string") return part.replaceAll(/[&<>"']/g, (character) => escaped[character] ?? "")
  if (typeof part === "number") return String(part)
  return "markup" in part ? part.markup : part.map((each) => each.markup).join("")
}

/** A template of markup: everything put into it that is not markup itself is escaped. */
export const html = (strings: TemplateStringsArray, ...parts: ReadonlyArray<Part>): Html => ({
  markup: strings
    .map((string, index) => {
      const part = parts[index]
      return part === undefined ? string : string + markupOf(part)
    })
    .join("")
})
