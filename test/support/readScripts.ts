/** The text of a bundled script, and of all scripts that it imports before it runs, by their names. */
export const readScripts = async (first: string, read: (name: string) => string | Promise<string>) => {
  const texts = new Map([[first, ""]])
  // The loop also visits the names that are added during the loop.
  for (const name of texts.keys()) {
    const text = await read(name)
    texts.set(name, text)
    for (const [, imported = ""] of text.matchAll(/(?:import|from) ?"\.\/([^"]+)"/g)) {
      if (!texts.has(imported)) texts.set(imported, "")
    }
  }
  return texts
}
