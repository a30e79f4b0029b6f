import { useLayoutEffect, useRef } from "preact/hooks"
import { makeStore } from "../store/makeStore.ts"

export interface Shortcut {
  /** A key as in `KeyboardEvent.key`, `Control+Enter` (also Command), `Shift+x`, or two keys in sequence, `g p`. */
  readonly keys: string
  readonly label: string
  readonly group: string
  /** True if it also works while a field has the focus. */
  readonly whileTyping?: boolean
}

interface Registered extends Shortcut {
  readonly run: () => void
}

export const registered = makeStore<ReadonlyArray<Registered>>([])

/** Milliseconds within which the second key has to follow. */
const sequenceMillis = 1000
let prefix: { readonly key: string; readonly at: number } | undefined

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches("input, select, textarea"))

const describeKey = ({ ctrlKey, key, metaKey }: KeyboardEvent): string => {
  const plain = key.length === 1 ? key.toLowerCase() : key
  return ctrlKey || metaKey ? `Control+${plain}` : plain
}

/** Keys that were pressed for a field that is still loading. Undefined if no field is. */
let typed: string | undefined

/** No key is a shortcut while keys are buffered for a field that is loading. */
export const typeAhead = {
  begin: () => {
    typed = ""
  },
  end: (): string => {
    const text = typed ?? ""
    typed = undefined
    return text
  }
}

const isTypedAhead = ({ ctrlKey, key, metaKey, target }: KeyboardEvent) =>
  typed !== undefined && key.length === 1 && !ctrlKey && !metaKey && !isTyping(target)

const handle = (event: KeyboardEvent) => {
  if (event.defaultPrevented || event.isComposing || event.altKey) return
  if (isTypedAhead(event)) {
    typed += event.key
    event.preventDefault()
    return
  }
  if (event.repeat) return
  const pressed = describeKey(event)
  const now = Date.now()
  const sequence = prefix !== undefined && now - prefix.at < sequenceMillis ? `${prefix.key} ${pressed}` : undefined
  prefix = undefined
  const typing = isTyping(event.target)
  // The shortcut that was registered last is used. In an open dialog, only shortcuts with `whileTyping` work.
  const usable = registered.get().filter(({ whileTyping = false }) => whileTyping || !typing)
  const inDialog = document.querySelector("dialog[open]") !== null
  const shifted = event.shiftKey ? `Shift+${pressed}` : undefined
  const found = [sequence, shifted, pressed]
    .map((wanted) => usable.findLast(({ keys }) => keys === wanted))
    .find((one) => one !== undefined)
  if (found !== undefined) {
    if (inDialog && found.whileTyping !== true) return
    event.preventDefault()
    found.run()
  } else if (usable.some(({ keys }) => keys.startsWith(`${pressed} `))) {
    prefix = { key: pressed, at: now }
  }
}

window.addEventListener("keydown", handle)

/** `run` is undefined if the action is not available. */
export const useShortcut = (shortcut: Shortcut, run: (() => void) | undefined) => {
  const latest = useRef(run)
  latest.current = run
  const { group, keys, label, whileTyping = false } = shortcut
  const isActive = run !== undefined
  // `useEffect` runs after the next frame, and would miss keys pressed before that.
  useLayoutEffect(() => {
    if (!isActive) return
    const one: Registered = { group, keys, label, whileTyping, run: () => latest.current?.() }
    registered.set([...registered.get(), one])
    return () => registered.set(registered.get().filter((other) => other !== one))
  }, [group, keys, label, whileTyping, isActive])
}
