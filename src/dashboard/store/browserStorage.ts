type Kind = "localStorage" | "sessionStorage"

/** Null also if the browser forbids storage. */
export const readStored = (name: string, kind: Kind = "localStorage"): string | null => {
  try {
    return window[kind].getItem(name)
  } catch {
    return null
  }
}

/** Undefined removes the value. Returns false, and stores nothing, if storage is full or forbidden. */
export const writeStored = (name: string, value: string | undefined, kind: Kind = "localStorage"): boolean => {
  try {
    if (value === undefined) window[kind].removeItem(name)
    else window[kind].setItem(name, value)
    return true
  } catch {
    // The page works without stored values.
    return false
  }
}

/** No names if the browser forbids storage. */
export const storedNames = (): ReadonlyArray<string> => {
  try {
    return Object.keys(window.localStorage)
  } catch {
    return []
  }
}

/** Null if the text is missing or not JSON. */
export const parseStored = (text: string | null): unknown => {
  try {
    return JSON.parse(text ?? "null")
  } catch {
    return null
  }
}
