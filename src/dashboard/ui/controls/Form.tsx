import type { ComponentChildren } from "preact"
import { classes } from "../classes.ts"
import { FormError } from "./FormError.tsx"

export interface FormProps {
  /** For a submit button outside of the form. */
  readonly id?: string
  readonly class?: string
  readonly onSubmit: () => void
  /** An error that no field shows. */
  readonly problem?: string | undefined
  readonly children: ComponentChildren
}

export const Form = ({ children, class: className, id, onSubmit, problem }: FormProps) => (
  <form
    id={id}
    class={classes("form", className)}
    noValidate
    onSubmit={(event) => {
      event.preventDefault()
      onSubmit()
    }}
  >
    {problem !== undefined && <FormError>{problem}</FormError>}
    {children}
  </form>
)
