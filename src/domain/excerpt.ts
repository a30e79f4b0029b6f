const excerptLength = 80

/** The beginning of a text, on one line. */
export const excerpt = (text: string): string => {
  const line = text
    .trim()
    .replaceAll(/\s+/g, " ")
    .slice(0, 2 * excerptLength)
  if (line.length <= excerptLength) return line
  const characters = Array.from(line)
  return characters.length > excerptLength ? `${characters.slice(0, excerptLength - 1).join("")}…` : characters.join("")
}
