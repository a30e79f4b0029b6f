import { useLayoutEffect, useRef } from "preact/hooks"
import { followPath, useLocation } from "../shared/router.tsx"
import { typeAhead } from "../shared/shortcuts.ts"
import { findRoute } from "./routes.ts"

/** How long a page may take until its field is there, in milliseconds. After that keys are shortcuts again. */
const longestWait = 10_000

const startsWithField = (path: string) => findRoute(path)?.route.startsWithField === true

// At once, as keys may be pressed before the page is rendered.
followPath((path) => {
  if (startsWithField(path)) typeAhead.begin()
  else typeAhead.end()
})

/** What browsers heed only in a document that loads. Dialogs do so themselves. */
const findField = (page: HTMLElement): HTMLElement | undefined =>
  Array.from(page.querySelectorAll<HTMLElement>("[autofocus]")).find((field) => field.closest("dialog") === null)

/** Adds text where the field's cursor is, as a person would, so that the page hears of it. */
const write = (field: HTMLElement, text: string) => {
  if (!(field instanceof HTMLTextAreaElement || field instanceof HTMLInputElement)) return
  const end = field.selectionEnd ?? field.value.length
  field.setRangeText(text, end, end, "end")
  field.dispatchEvent(new InputEvent("input", { bubbles: true }))
}

/** Focuses the field that a page begins with once it is there, and writes there what was typed before. Returns how to stop. */
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
    // Who has gone elsewhere meanwhile stays there.
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
 * Moves the focus to a page that was opened, so that keys and screen readers go on there, or to the field that it begins with. The
 * first page leaves it to the browser.
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
