import { useLayoutEffect, useRef } from "preact/hooks"
import { followPath, useLocation } from "../shared/router.tsx"
import { typeAhead } from "../shared/shortcuts.ts"
import { findRoute } from "./routes.ts"

/** Milliseconds after which keys are shortcuts again. */
const longestWait = 10_000

const startsWithField = (path: string) => findRoute(path)?.route.startsWithField === true

// Buffers keys immediately, because people may press them before the page is rendered.
followPath((path) => {
  if (startsWithField(path)) typeAhead.begin()
  else typeAhead.end()
})

/**
 * The page's `autofocus` field. Browsers handle `autofocus` only while a document loads. Dialogs focus their own
 * fields.
 */
const findField = (page: HTMLElement): HTMLElement | undefined =>
  Array.from(page.querySelectorAll<HTMLElement>("[autofocus]")).find((field) => field.closest("dialog") === null)

/** Inserts text at the cursor with an input event, as typing does. */
const write = (field: HTMLElement, text: string) => {
  if (!(field instanceof HTMLTextAreaElement || field instanceof HTMLInputElement)) return
  const end = field.selectionEnd ?? field.value.length
  field.setRangeText(text, end, end, "end")
  field.dispatchEvent(new InputEvent("input", { bubbles: true }))
}

/** Waits for a page's first field, focuses it, and inserts the buffered keys. Returns a function that stops waiting. */
const awaitField = (page: HTMLElement) => {
  const stop = () => {
    observer.disconnect()
    clearTimeout(timeout)
    typeAhead.end()
  }
  const focus = () => {
    const field = findField(page)
    if (field === undefined) return
    const typed = typeAhead.end()
    stop()
    const { activeElement } = document
    // Keeps the focus if the person has moved it.
    if (activeElement !== null && activeElement !== document.body && activeElement !== page) return
    field.focus()
    if (typed !== "") write(field, typed)
  }
  const observer = new MutationObserver(focus)
  const timeout = setTimeout(stop, longestWait)
  observer.observe(page, { childList: true, subtree: true })
  focus()
  return stop
}

/**
 * Moves the focus to a newly opened page or its first field, for keys and screen readers. The browser handles the first
 * page.
 */
export const usePageFocus = () => {
  const { path } = useLocation()
  const shown = useRef(path)
  const main = useRef<HTMLElement>(null)
  useLayoutEffect(() => {
    const page = main.current
    if (shown.current === path || page === null) return
    shown.current = path
    page.focus({ preventScroll: true })
    page.scrollTo(0, 0)
    return startsWithField(path) ? awaitField(page) : undefined
  }, [path])
  return main
}
