import { PageHeader } from "../../app/PageHeader.tsx"
import { EmptyState } from "../../ui/EmptyState.tsx"

export const Page = () => (
  <div class="page">
    <PageHeader title="Posts" />
    <EmptyState icon="posts" title="No posts">
      <p>Every draft, scheduled and published post appears here.</p>
    </EmptyState>
  </div>
)
