import type { ComponentChildren, Ref } from "preact"
import { classes } from "../classes.ts"
import { Icon, type IconName } from "../Icon.tsx"

type ButtonKind = "primary" | "secondary" | "quiet" | "danger"

interface CommonProps {
  readonly kind?: ButtonKind
  readonly size?: "normal" | "small"
  readonly icon?: IconName | undefined
  readonly wide?: boolean
  readonly class?: string | undefined
  readonly children: ComponentChildren
}

export interface ButtonProps extends CommonProps {
  readonly type?: "button" | "submit"
  readonly disabled?: boolean
  /** Shows progress, and ignores clicks. */
  readonly busy?: boolean
  readonly onClick?: (event: MouseEvent) => void
  readonly title?: string
  readonly autoFocus?: boolean
  readonly form?: string
  readonly buttonRef?: Ref<HTMLButtonElement>
  readonly "aria-haspopup"?: "menu" | "dialog" | "listbox"
  readonly "aria-expanded"?: boolean
  readonly "aria-pressed"?: boolean
  readonly "aria-describedby"?: string
  readonly "aria-label"?: string | undefined
}

const buttonClass = ({ class: className, kind = "secondary", size = "normal", wide = false }: CommonProps) =>
  classes("button", `button-${kind}`, size === "small" && "button-small", wide && "button-wide", className)

export const Button = (props: ButtonProps) => {
  const {
    autoFocus = false,
    busy = false,
    buttonRef,
    children,
    disabled,
    icon,
    onClick,
    title,
    type = "button"
  } = props
  return (
    <button
      ref={buttonRef ?? null}
      type={type}
      form={props.form}
      class={buttonClass(props)}
      disabled={disabled}
      title={title}
      autofocus={autoFocus}
      aria-busy={busy}
      aria-disabled={busy}
      aria-haspopup={props["aria-haspopup"]}
      aria-expanded={props["aria-expanded"]}
      aria-pressed={props["aria-pressed"]}
      aria-describedby={props["aria-describedby"]}
      aria-label={props["aria-label"]}
      onClick={(event) => {
        if (busy) event.preventDefault()
        else onClick?.(event)
      }}
    >
      {busy ? <span class="spinner" aria-hidden="true" /> : icon !== undefined && <Icon name={icon} />}
      <span class="button-label">{children}</span>
    </button>
  )
}

export interface IconButtonProps {
  readonly icon: IconName
  /** The accessible name, also shown on hover. */
  readonly label: string
  readonly onClick?: (event: MouseEvent) => void
  readonly disabled?: boolean
  readonly class?: string
  readonly buttonRef?: Ref<HTMLButtonElement>
  readonly "aria-haspopup"?: "menu" | "dialog" | "listbox"
  readonly "aria-expanded"?: boolean
  readonly "aria-pressed"?: boolean
}

export const IconButton = ({ buttonRef, class: className, icon, label, onClick, ...rest }: IconButtonProps) => (
  <button
    ref={buttonRef ?? null}
    type="button"
    class={classes("icon-button", className)}
    aria-label={label}
    title={label}
    onClick={onClick}
    {...rest}
  >
    <Icon name={icon} />
  </button>
)
