import type { ComponentChildren, InputHTMLAttributes, SelectHTMLAttributes, TextareaHTMLAttributes } from "preact"
import { useId } from "preact/hooks"
import { classes } from "../classes.ts"
import { Icon } from "../Icon.tsx"

export interface ControlProps {
  readonly id: string
  readonly "aria-describedby": string | undefined
  readonly "aria-invalid": boolean
}

export interface FieldProps {
  readonly label: string
  readonly hint?: ComponentChildren
  /** Shown in place of the hint: what the person may overlook, but may also leave as it is. */
  readonly doubt?: string | undefined
  readonly error?: string | undefined
  readonly children: (control: ControlProps) => ComponentChildren
  /** Shown at the end of the label's line. */
  readonly aside?: ComponentChildren
}

export interface FieldNoteProps extends Pick<FieldProps, "doubt" | "error" | "hint"> {
  readonly id?: string
}

export const FieldNote = ({ doubt, error, hint, id }: FieldNoteProps) => {
  const warning = error ?? doubt
  return (
    <p
      id={id}
      class={classes("field-note", warning !== undefined && (error === undefined ? "field-doubt" : "field-error"))}
    >
      {warning !== undefined && <Icon name="warning" size={12} />}
      <span>{warning ?? hint}</span>
    </p>
  )
}

export const Field = ({ aside, children, doubt, error, hint, label }: FieldProps) => {
  const id = useId()
  const hasNote = error !== undefined || doubt !== undefined || hint !== undefined
  const control = {
    id,
    "aria-describedby": hasNote ? `${id}-note` : undefined,
    "aria-invalid": error !== undefined
  }
  return (
    <div class="field">
      <div class="field-head">
        <label class="field-label" for={id}>
          {label}
        </label>
        {aside}
      </div>
      {children(control)}
      {hasNote && <FieldNote id={`${id}-note`} error={error} doubt={doubt} hint={hint} />}
    </div>
  )
}

interface ValueProps {
  readonly onValue?: (value: string) => void
}

export const Input = ({ class: _, onValue, ...rest }: InputHTMLAttributes & ValueProps) => (
  <input class="input" dir="auto" onInput={(event) => onValue?.(event.currentTarget.value)} {...rest} />
)

export const TextArea = ({ class: _, onValue, ...rest }: TextareaHTMLAttributes & ValueProps) => (
  <textarea class="input textarea" dir="auto" onInput={(event) => onValue?.(event.currentTarget.value)} {...rest} />
)

export const Select = ({ children, class: _, onValue, ...rest }: SelectHTMLAttributes & ValueProps) => (
  <span class="select">
    <select class="input" onChange={(event) => onValue?.(event.currentTarget.value)} {...rest}>
      {children}
    </select>
    <Icon name="chevronDown" />
  </span>
)

export interface CheckboxProps {
  readonly label: ComponentChildren
  readonly checked: boolean
  readonly onChange: (checked: boolean) => void
  readonly hint?: string
  readonly disabled?: boolean
}

export const Checkbox = ({ checked, disabled = false, hint, label, onChange }: CheckboxProps) => (
  <label class="checkbox">
    <input
      type="checkbox"
      checked={checked}
      disabled={disabled}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
    <span>
      {label}
      {hint !== undefined && <span class="checkbox-hint">{hint}</span>}
    </span>
  </label>
)
