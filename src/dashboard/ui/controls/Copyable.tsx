import { useState } from "preact/hooks"
import { Button } from "./Button.tsx"

export interface CopyableProps {
  /** The accessible name. */
  readonly label: string
  readonly text: string
  /** True for text of several lines, such as a command. */
  readonly block?: boolean
}

/** If the browser refuses to copy, a click selects the text instead. */
export const Copyable = ({ block = false, label, text }: CopyableProps) => {
  const [isCopied, setCopied] = useState(false)
  const action = isCopied ? "Copied" : "Copy"
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
  }
  return (
    <div class={block ? "copyable copyable-block" : "copyable"} role="group" aria-label={label}>
      <code>{text}</code>
      <Button
        size="small"
        icon={isCopied ? "check" : "copy"}
        aria-label={`${action}: ${label}`}
        onClick={() => {
          copy().catch(() => setCopied(false))
        }}
      >
        {action}
      </Button>
    </div>
  )
}
