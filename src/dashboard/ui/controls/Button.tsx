import type { ComponentChildren } from "preact"
import { classes } from "../classes.ts"
import { Icon, type IconName } from "../Icon.tsx"

type ButtonKind = "primary" | "secondary" | "quiet" | "danger"

interface AriaProps {
  readonly "aria-haspopup"?: "menu" | "dialog" | "listbox"
  readonly "aria-expanded"?: boolean
  readonly "aria-pressed"?: boolean
}

export interface ButtonProps extends AriaProps {
  readonly kind?: ButtonKind
  readonly size?: "normal" | "small"
  readonly icon?: IconName | undefined
  readonly wide?: boolean
  readonly class?: string | undefined
  readonly children: ComponentChildren
  readonly type?: "button" | "submit"
  readonly disabled?: boolean
  /** Shows progress, and ignores clicks. */
  readonly busy?: boolean
  readonly onClick?: (event: MouseEvent) => void
  readonly title?: string
  readonly form?: string
  readonly "aria-label"?: string | undefined
}

export const Button = (props: ButtonProps) => {
  const {
    busy = false,
    children,
    class: className,
    icon,
    kind = "secondary",
    onClick,
    size = "normal",
    type = "button",
    wide = false,
    ...rest
  } = props
  return (
    <button
      type={type}
      class={classes("button", `button-${kind}`, size === "small" && "button-small", wide && "button-wide", className)}
      aria-busy={busy}
      aria-disabled={busy}
      onClick={(event) => {
        if (busy) event.preventDefault()
        else onClick?.(event)
      }}
      {...rest}
    >
      {busy ? <span class="spinner" aria-hidden="true" /> : icon !== undefined && <Icon name={icon} />}
      <span class="button-label">{children}</span>
    </button>
  )
}

export interface IconButtonProps extends AriaProps {
  readonly icon: IconName
  /** The accessible name, also shown on hover. */
  readonly label: string
  readonly onClick?: (event: MouseEvent) => void
  readonly disabled?: boolean
  readonly class?: string
}

export const IconButton = ({ class: className, icon, label, ...rest }: IconButtonProps) => (
  <button type="button" class={classes("icon-button", className)} aria-label={label} title={label} {...rest}>
    <Icon name={icon} />
  </button>
)
