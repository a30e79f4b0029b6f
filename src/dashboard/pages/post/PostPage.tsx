import type { PageProps } from "../../shared/router.tsx"
import { PostView } from "./PostView.tsx"

export const Page = ({ params }: PageProps) => {
  const { id = "" } = params
  return (
    <div class="page">
      <PostView key={id} id={id} />
    </div>
  )
}
