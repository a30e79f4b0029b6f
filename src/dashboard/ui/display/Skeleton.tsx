export interface SkeletonProps {
  /** Lines of text have different lengths. */
  readonly lines?: number
  readonly height?: "line" | "row" | "card"
}

/** Has about the size of the loading content, so that nothing jumps. */
export const Skeleton = ({ height = "line", lines = 1 }: SkeletonProps) => (
  <div class="skeletons" aria-hidden="true">
    {Array.from({ length: lines }, (_, index) => (
      <div key={index} class={`skeleton skeleton-${height}`} />
    ))}
  </div>
)

/** For screen readers. */
export const Loading = ({ label = "Loading" }: { readonly label?: string }) => (
  <span class="only-read" role="status">
    {label}
  </span>
)
