import { Input, type ControlProps } from "../controls/Field.tsx"
import { clockExample } from "./time.ts"

export interface ClockInputProps extends ControlProps {
  readonly value: string
  readonly onValue: (value: string) => void
  readonly onBlur?: () => void
}

/** A time of the day as text, because the browser's own field has the clock of its language and not the person's. */
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
