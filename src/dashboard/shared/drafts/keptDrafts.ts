/** The prefix of all drafts in the browser's storage. */
export const prefix = "draft:"

export const read = (name: string): unknown => {
  try {
    return JSON.parse(window.localStorage.getItem(name) ?? "null")
  } catch {
    return null
  }
}

export const write = (name: string, value: unknown) => {
  try {
    if (value === undefined) window.localStorage.removeItem(name)
    else window.localStorage.setItem(name, JSON.stringify(value))
  } catch {
    // Storage is full or forbidden. The text is still on the page.
  }
}

/** Called at log-out. */
export const clearDrafts = () => {
  for (const name of Object.keys(window.localStorage)) if (name.startsWith(prefix)) write(name, undefined)
}
