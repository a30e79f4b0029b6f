import type { QueryState } from "../../api/query.ts"
import { Loading, Skeleton, type SkeletonProps } from "../../ui/display/Skeleton.tsx"
import { LoadError } from "./LoadError.tsx"

export interface LoadStateProps extends SkeletonProps {
  readonly of: Pick<QueryState<unknown>, "error" | "isLoading" | "refetch">
  readonly label?: string
}

export const LoadState = ({ label = "Loading", of: { error, isLoading, refetch }, ...skeleton }: LoadStateProps) => (
  <>
    {isLoading && (
      <>
        <Loading label={label} />
        <Skeleton {...skeleton} />
      </>
    )}
    <LoadError error={error} onRetry={refetch} />
  </>
)
