import type { ComponentChildren } from "preact"
import { Icon } from "../Icon.tsx"

/** Screen readers announce it. */
export const FormError = ({ children }: { readonly children: ComponentChildren }) => (
  <div class="form-error" role="alert">
    <Icon name="warning" />
    <div>{children}</div>
  </div>
)

export const FieldErrors = ({ errors }: { readonly errors: ReadonlyArray<string> }) => (
  <>
    {errors.map((error) => (
      <p key={error} class="field-note field-error">
        <Icon name="warning" size={12} />
        <span>{error}</span>
      </p>
    ))}
  </>
)
