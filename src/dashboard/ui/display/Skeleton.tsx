export interface SkeletonProps {
  readonly lines?: number
  readonly height?: "line" | "row" | "card"
}

/** As high as the content that loads, so that nothing jumps. */
export const Skeleton = ({ height = "line", lines = 1 }: SkeletonProps) => (
  <div class="skeletons" aria-hidden="true">
    {Array.from({ length: lines }, (_, index) => (
      <div key={index} class={`skeleton skeleton-${height}`} />
    ))}
  </div>
)

export const Loading = ({ label = "Loading" }: { readonly label?: string }) => (
  <span class="only-read" role="status">
    {label}
  </span>
)
