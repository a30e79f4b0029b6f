import type { ComponentChildren } from "preact"
import { Icon } from "./Icon.tsx"

/** Why a form was not accepted. It is read out when it appears. */
export const FormError = ({ children }: { readonly children: ComponentChildren }) => (
  <div class="form-error" role="alert">
    <Icon name="warning" />
    <div>{children}</div>
  </div>
)
