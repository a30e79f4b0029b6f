import domains from "tlds" with { type: "json" }

const known = new Set(domains)

/** Whether a name ends in a dot and a registered top-level domain, in lower case. */
export const endsInTopLevelDomain = (name: string): boolean => {
  const dot = name.lastIndexOf(".")
  return dot !== -1 && known.has(name.slice(dot + 1))
}
