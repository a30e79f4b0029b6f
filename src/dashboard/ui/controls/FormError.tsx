import type { ComponentChildren } from "preact"
import { Icon } from "../Icon.tsx"
import { FieldNote } from "./Field.tsx"

/** Screen readers read it when it appears. */
export const FormError = ({ children }: { readonly children: ComponentChildren }) => (
  <div class="form-error" role="alert">
    <Icon name="warning" />
    <div>{children}</div>
  </div>
)

export const FieldErrors = ({ errors }: { readonly errors: ReadonlyArray<string> }) => (
  <>
    {errors.map((error) => (
      <FieldNote key={error} error={error} />
    ))}
  </>
)
