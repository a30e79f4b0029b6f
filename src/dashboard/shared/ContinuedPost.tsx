import { hasStatus } from "../api/errors.ts"
import { firstWords, onePost } from "../api/posts.ts"
import { useQuery } from "../api/query.ts"
import { Link } from "./router.tsx"

export const ContinuedPost = ({ id }: { readonly id: string }) => {
  const { data, error } = useQuery(onePost(id))
  if (hasStatus(error, 404)) return <>a post that was deleted here</>
  return (
    <Link class="truncate" href={`/posts/${encodeURIComponent(id)}`}>
      {data === undefined ? "another post" : <bdi>{firstWords(data.data)}</bdi>}
    </Link>
  )
}
