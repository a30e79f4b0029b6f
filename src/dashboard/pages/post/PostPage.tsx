import { PageHeader } from "../../app/PageHeader.tsx"
import { EmptyState } from "../../ui/EmptyState.tsx"

export const Page = () => (
  <div class="page">
    <PageHeader title="Post" />
    <EmptyState icon="posts" title="This post is not shown here">
      <p>Its status, its text on each platform and its history appear here.</p>
    </EmptyState>
  </div>
)
