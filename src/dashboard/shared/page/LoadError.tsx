import { describeFailure, type Failure } from "../../api/errors.ts"
import { Button } from "../../ui/controls/Button.tsx"

export interface LoadErrorProps {
  /** Why the last attempt failed; undefined where it did not. */
  readonly error: Failure | undefined
  readonly onRetry: () => void
}

/** Why something could not be loaded, and another try. What is known from before stays beneath it. */
export const LoadError = ({ error, onRetry }: LoadErrorProps) =>
  error === undefined ? null : (
    <p class="page-error" role="alert">
      {describeFailure(error)}{" "}
      <Button size="small" onClick={onRetry}>
        Try again
      </Button>
    </p>
  )
