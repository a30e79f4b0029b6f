import { describeFailure, type Failure } from "../../api/errors.ts"
import { Button } from "../../ui/controls/Button.tsx"

export interface LoadErrorProps {
  readonly error: Failure | undefined
  readonly onRetry: () => void
}

export const LoadError = ({ error, onRetry }: LoadErrorProps) =>
  error === undefined ? null : (
    <p class="page-error" role="alert">
      {describeFailure(error)}{" "}
      <Button size="small" onClick={onRetry}>
        Try again
      </Button>
    </p>
  )
