export interface SkeletonProps {
  /** How many there are. Lines of text end differently. */
  readonly lines?: number
  readonly height?: "line" | "row" | "card"
}

/** Stands where content is on its way, in about its size, so that nothing jumps. */
export const Skeleton = ({ height = "line", lines = 1 }: SkeletonProps) => (
  <div class="skeletons" aria-hidden="true">
    {Array.from({ length: lines }, (_, index) => (
      <div key={index} class={`skeleton skeleton-${height}`} />
    ))}
  </div>
)

/** Says that something is loading, to those who do not see skeletons. */
export const Loading = ({ label = "Loading" }: { readonly label?: string }) => (
  <span class="only-read" role="status">
    {label}
  </span>
)
