import { useLayoutEffect, useRef } from "preact/hooks"
import { Dialog } from "../ui/Dialog.tsx"
import { makeStore, useStore } from "../ui/store.ts"

export interface Shortcut {
  /** A key as `KeyboardEvent.key` says it, `Control+Enter` (also Command), or two keys one after the other, `g p`. */
  readonly keys: string
  /** What it does, in the list of shortcuts. */
  readonly label: string
  /** The heading in the list of shortcuts. */
  readonly group: string
  /** Whether it also works while a field has the focus. */
  readonly whileTyping?: boolean
}

interface Registered extends Shortcut {
  readonly run: () => void
}

const registered = makeStore<ReadonlyArray<Registered>>([])
const isHelpOpen = makeStore(false)

/** In milliseconds, between the two keys of a sequence. */
const sequenceMillis = 1000
let prefix: { readonly key: string; readonly at: number } | undefined

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches("input, select, textarea"))

const describeKey = ({ ctrlKey, key, metaKey }: KeyboardEvent): string => {
  const plain = key.length === 1 ? key.toLowerCase() : key
  return ctrlKey || metaKey ? `Control+${plain}` : plain
}

const handle = (event: KeyboardEvent) => {
  if (event.defaultPrevented || event.isComposing || event.altKey || event.repeat) return
  const pressed = describeKey(event)
  const now = Date.now()
  const sequence = prefix !== undefined && now - prefix.at < sequenceMillis ? `${prefix.key} ${pressed}` : undefined
  prefix = undefined
  const typing = isTyping(event.target)
  // What was registered last is nearest to the person. A dialog takes all keys but its own.
  const usable = registered.get().filter(({ whileTyping = false }) => whileTyping || !typing)
  const inDialog = document.querySelector("dialog[open]") !== null
  const found = usable.findLast(({ keys }) => keys === sequence) ?? usable.findLast(({ keys }) => keys === pressed)
  if (found !== undefined) {
    if (inDialog && found.whileTyping !== true) return
    event.preventDefault()
    found.run()
  } else if (usable.some(({ keys }) => keys.startsWith(`${pressed} `))) {
    prefix = { key: pressed, at: now }
  }
}

window.addEventListener("keydown", handle)

/** A shortcut for as long as the component is shown; `?` lists it. Pass undefined where the action is not there. */
export const useShortcut = (shortcut: Shortcut, run: (() => void) | undefined) => {
  const latest = useRef(run)
  latest.current = run
  const { group, keys, label, whileTyping = false } = shortcut
  const isActive = run !== undefined
  // A plain effect runs after the next frame: a key that is pressed as soon as the page is there would be lost.
  useLayoutEffect(() => {
    if (!isActive) return
    const one: Registered = { group, keys, label, whileTyping, run: () => latest.current?.() }
    registered.set([...registered.get(), one])
    return () => {
      registered.set(registered.get().filter((other) => other !== one))
    }
  }, [group, keys, label, whileTyping, isActive])
}

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent)
const keyNames: Readonly<Record<string, string>> = {
  Control: isMac ? "⌘" : "Ctrl",
  ArrowLeft: "←",
  ArrowRight: "→",
  ArrowUp: "↑",
  ArrowDown: "↓",
  Escape: "Esc",
  " ": "Space"
}

/** The keys of a shortcut as they are printed on keyboards. */
export const Keys = ({ keys }: { readonly keys: string }) => (
  <span class="keys">
    {keys.split(/[ +]/).map((key) => (
      <kbd key={key}>{keyNames[key] ?? (key.length === 1 ? key.toUpperCase() : key)}</kbd>
    ))}
  </span>
)

export const openShortcutHelp = () => {
  isHelpOpen.set(true)
}

/** The page's own come first. */
const rank = ({ group }: Shortcut): number => ["Everywhere", "Go"].indexOf(group)

/** The list of the shortcuts that work here, which `?` opens. */
export const ShortcutHelp = () => {
  useShortcut({ keys: "?", label: "Show the shortcuts", group: "Everywhere" }, openShortcutHelp)
  const all = useStore(registered)
  if (!useStore(isHelpOpen)) return null
  const groups = Map.groupBy(
    all.toSorted((left, right) => rank(left) - rank(right)),
    ({ group }) => group
  )
  return (
    <Dialog
      title="Keyboard shortcuts"
      onClose={() => {
        isHelpOpen.set(false)
      }}
    >
      {Array.from(groups, ([group, shortcuts]) => (
        <section key={group} class="shortcuts">
          <h3>{group}</h3>
          <dl>
            {shortcuts.map(({ keys, label }) => (
              <div key={keys} class="shortcut">
                <dt>{label}</dt>
                <dd>
                  <Keys keys={keys} />
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Dialog>
  )
}
