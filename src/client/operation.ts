const kinds = ["pages", "data", "body", "bytes"] as const

export interface Operation {
  readonly verb: string
  readonly path: string
  readonly body: "json" | "form" | undefined
  readonly hasQuery: boolean
  /** Header names by option, such as `idempotencyKey`. */
  readonly headers: ReadonlyMap<string, string>
  readonly kind: (typeof kinds)[number]
}

const optionOf = (header: string) =>
  header.toLowerCase().replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())

/** Parses an operation such as `PATCH /v1/posts/{id} json If-Match data`. */
export const readOperation = (text: string): Operation => {
  const [verb = "", path = "", ...words] = text.split(" ")
  const headers = words.filter((word) => /^[A-Z]/.test(word)).map((word) => [optionOf(word), word] as const)
  return {
    verb,
    path,
    body: words.includes("json") ? "json" : words.includes("form") ? "form" : undefined,
    hasQuery: words.includes("query"),
    headers: new Map(headers),
    kind: kinds.find((kind) => words.includes(kind)) ?? "body"
  }
}
