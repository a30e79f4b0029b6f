/** Closes a dialog, unless something was typed in it. Returns true if it is closed. */
type Close = () => boolean

/** The open dialogs without an address of their own. */
const open: Array<Close> = []

let opened: (areOthersOpen: boolean) => void = () => undefined

/** The listener is called before a dialog is opened. */
export const onDialogOpened = (listener: (areOthersOpen: boolean) => void) => {
  opened = listener
}

/** Returns a function to call when the dialog is closed. */
export const addOpenDialog = (close: Close): (() => void) => {
  opened(open.length > 0)
  open.push(close)
  return () => void open.splice(open.indexOf(close), 1)
}

/** Closes the newest dialog, or leaves it open if something was typed in it. */
export const closeNewestDialog = (): "closed" | "kept" | "none" => {
  const close = open.at(-1)
  if (close === undefined) return "none"
  return close() ? "closed" : "kept"
}
