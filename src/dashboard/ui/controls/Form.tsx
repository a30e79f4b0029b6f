import type { ComponentChildren } from "preact"
import { classes } from "../classes.ts"
import { FormError } from "./FormError.tsx"

export interface FormProps {
  /** For a button that stands elsewhere. */
  readonly id?: string
  readonly class?: string
  readonly onSubmit: () => void
  /** Why the form was not accepted, but for what stands beside its fields. */
  readonly problem?: string | undefined
  readonly children: ComponentChildren
}

/** A form, which Enter submits too. */
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
