import { registered, type Shortcut, useShortcut } from "../shared/shortcuts.ts"
import { makeStore } from "../store/makeStore.ts"
import { useStore } from "../store/useStore.ts"
import { Dialog } from "../ui/dialogs/Dialog.tsx"

const isHelpOpen = makeStore(false)

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

export const Keys = ({ keys }: { readonly keys: string }) => (
  <span class="keys">
    {keys.split(/[ +]/).map((key) => (
      <kbd key={key}>{keyNames[key] ?? (key.length === 1 ? key.toUpperCase() : key)}</kbd>
    ))}
  </span>
)

export const openShortcutHelp = () => isHelpOpen.set(true)

/** The page's own groups come first. */
const rank = ({ group }: Shortcut): number => ["Everywhere", "Go"].indexOf(group)

export const ShortcutHelp = () => {
  useShortcut({ keys: "?", label: "Show the shortcuts", group: "Everywhere" }, openShortcutHelp)
  const all = useStore(registered)
  if (!useStore(isHelpOpen)) return null
  const groups = Map.groupBy(
    all.toSorted((left, right) => rank(left) - rank(right)),
    ({ group }) => group
  )
  return (
    <Dialog title="Keyboard shortcuts" onClose={() => isHelpOpen.set(false)}>
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
