import { Input, type ControlProps } from "../controls/Field.tsx"
import { clockExample } from "./time.ts"

export interface ClockInputProps extends ControlProps {
  readonly value: string
  readonly onValue: (value: string) => void
  readonly onBlur?: () => void
}

/** The browser's time field follows the browser's language, not the person's clock, so this is a text field. */
export const ClockInput = (props: ClockInputProps) => (
  <Input
    {...props}
    type="text"
    class="input"
    autocomplete="off"
    spellcheck={false}
    maxlength={12}
    placeholder={clockExample()}
  />
)
