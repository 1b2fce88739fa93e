import { useQuery } from "@tanstack/react-query";
import { octavo } from "../api/octavo.ts";
import { useMay, useSession } from "../session-context.ts";

/** Names the actor of a write: the label of the token where this session may read it, otherwise the start of its id. */
export function useActorName(): (id: string) => string {
  const { token } = useSession();
  const { data = [token] } = useQuery({
    queryKey: ["tokens"],
    queryFn: () => octavo.tokens.list(),
    enabled: useMay("admin"),
  });
  return (id) => (id === "octavo" ? "Octavo itself" : data.find((one) => one.id === id)?.label || id.slice(0, 8));
}
