/** Markup that is safe to send to a browser. */
export interface Html {
  readonly markup: string
}

type Part = string | number | Html | ReadonlyArray<Html>

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

const toMarkup = (part: Part): string => {
  if (typeof part === "string") return part.replaceAll(/[&<>"']/g, (character) => entities[character] ?? "")
  if (typeof part === "number") return String(part)
  return "markup" in part ? part.markup : part.map(({ markup }) => markup).join("")
}

/** Escapes every part that is not `Html` itself, which prevents cross-site scripting. */
export const html = (strings: TemplateStringsArray, ...parts: ReadonlyArray<Part>): Html => ({
  markup: strings
    .map((string, index) => {
      const part = parts[index]
      return part === undefined ? string : string + toMarkup(part)
    })
    .join("")
})
