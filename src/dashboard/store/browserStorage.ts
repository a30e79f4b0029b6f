type Kind = "localStorage" | "sessionStorage"

/** Null also if the browser forbids storage. */
export const readStored = (name: string, kind: Kind = "localStorage"): string | null => {
  try {
    return window[kind].getItem(name)
  } catch {
    return null
  }
}

/** Undefined removes the value. If storage is full or forbidden, nothing is stored. */
export const writeStored = (name: string, value: string | undefined, kind: Kind = "localStorage") => {
  try {
    if (value === undefined) window[kind].removeItem(name)
    else window[kind].setItem(name, value)
  } catch {
    // The page works without stored values.
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
