import { useEffect } from "preact/hooks"
import { makeStore } from "../../store/makeStore.ts"
import { useStore } from "../../store/useStore.ts"
import { classes } from "../classes.ts"
import { IconButton } from "../controls/Button.tsx"
import { Icon } from "../Icon.tsx"

export interface ToastOptions {
  readonly tone?: "neutral" | "success" | "error"
  /** Such as Undo. */
  readonly action?: { readonly label: string; readonly run: () => void }
  /** The subject, such as a post's id or an action. A success ends the errors about the same. */
  readonly about?: string
}

interface ShownToast extends ToastOptions {
  readonly id: number
  readonly text: string
}

const shown = makeStore<ReadonlyArray<ShownToast>>([])
const maxShown = 3
let lastId = 0

const dismiss = (id: number) => shown.set(shown.get().filter((toast) => toast.id !== id))

const isError = ({ tone }: ToastOptions): boolean => tone === "error"

/** Called when another page is opened, where nobody knows what failed. */
export const dismissErrors = () => shown.set(shown.get().filter((one) => !isError(one)))

/**
 * An error stays until it is closed, until a success about the same (unless it offers an action), until another page is
 * opened, or until three more messages have appeared. The same error is shown once.
 */
export const toast = (text: string, options: ToastOptions = {}) => {
  lastId += 1
  const { about, tone } = options
  const isOver = (one: ShownToast) =>
    isError(one) &&
    ((tone === "success" && about !== undefined && one.about === about && one.action === undefined) ||
      (tone === "error" && one.text === text))
  const all = [...shown.get().filter((one) => !isOver(one)), { ...options, id: lastId, text }]
  // Messages that would disappear by themselves are removed first.
  const oldest = all.length > maxShown ? (all.slice(0, -1).find((one) => !isError(one)) ?? all[0]) : undefined
  shown.set(all.filter((one) => one !== oldest))
}

const runAction = ({ action, id }: ShownToast) => {
  dismiss(id)
  action?.run()
}

/** Runs the newest action with this label, while its message is shown. */
export const runLastAction = (label: string) => {
  const last = shown.get().findLast(({ action }) => action?.label === label)
  if (last !== undefined) runAction(last)
}

/** Milliseconds, more if there is an action. */
const lifetime = ({ action, tone }: ToastOptions): number | undefined =>
  tone === "error" ? undefined : action === undefined ? 4000 : 8000

const tones = { neutral: undefined, success: "check", error: "warning" } as const

const Toast = (props: ShownToast) => {
  const { action, id, text, tone = "neutral" } = props
  const icon = tones[tone]
  const time = lifetime(props)
  useEffect(() => {
    if (time === undefined) return
    const timer = setTimeout(() => dismiss(id), time)
    return () => clearTimeout(timer)
  }, [id, time])
  return (
    <li class={classes("toast", `toast-${tone}`)}>
      {icon !== undefined && <Icon name={icon} />}
      <span class="toast-text">{text}</span>
      {action !== undefined && (
        <button type="button" class="toast-action" onClick={() => runAction(props)}>
          {action.label}
        </button>
      )}
      <IconButton icon="close" label="Dismiss" onClick={() => dismiss(id)} />
    </li>
  )
}

export const Toasts = () => (
  <ul class="toasts" aria-live="polite" aria-label="Messages">
    {useStore(shown).map((one) => (
      <Toast key={one.id} {...one} />
    ))}
  </ul>
)
