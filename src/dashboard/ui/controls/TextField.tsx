import { useSwitch } from "../useOpen.ts"
import { IconButton } from "./Button.tsx"
import { Field, type FieldProps, Input } from "./Field.tsx"

type LabelProps = Pick<FieldProps, "error" | "hint" | "label">

export interface TextFieldProps extends LabelProps {
  readonly value: string
  readonly onValue: (value: string) => void
  readonly type?: "email" | "url"
  readonly name?: string
  readonly maxLength?: number
  readonly placeholder?: string
  readonly autocomplete?: "name" | "off" | "username"
  readonly autocapitalize?: "off"
  readonly autofocus?: boolean
  readonly inputmode?: "numeric"
  readonly required?: boolean
  readonly spellcheck?: boolean
}

export const TextField = ({ error, hint, label, type, ...input }: TextFieldProps) => (
  <Field label={label} hint={hint} error={error}>
    {(control) =>
      // Separate, because the types of the attributes depend on `type`.
      type === "email" ? (
        <Input type="email" {...control} {...input} />
      ) : type === "url" ? (
        <Input type="url" {...control} {...input} />
      ) : (
        <Input {...control} {...input} />
      )
    }
  </Field>
)

/** The address that a person logs in with. It gets the focus when the page opens. */
export const LogInEmailField = (given: Pick<TextFieldProps, "error" | "onValue" | "value">) => (
  <TextField
    label="Email"
    type="email"
    name="email"
    autocomplete="username"
    autocapitalize="off"
    spellcheck={false}
    autofocus
    required
    {...given}
  />
)

export interface PasswordFieldProps extends LabelProps {
  readonly value: string
  readonly onValue: (value: string) => void
  readonly autocomplete: "current-password" | "new-password"
  readonly name?: string
  /** True if the field gets the focus when the page opens. */
  readonly isFirst?: boolean
}

export const PasswordField = ({ error, hint, isFirst = false, label, ...given }: PasswordFieldProps) => {
  const shown = useSwitch()
  const input = { ...given, autofocus: isFirst, spellcheck: false, autocapitalize: "off" } as const
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => (
        <span class="password">
          {shown.isOn ? (
            <Input type="text" {...control} {...input} />
          ) : (
            <Input type="password" {...control} {...input} />
          )}
          <IconButton
            icon={shown.isOn ? "eyeOff" : "eye"}
            label={shown.isOn ? "Hide the password" : "Show the password"}
            aria-pressed={shown.isOn}
            onClick={shown.toggle}
          />
        </span>
      )}
    </Field>
  )
}
