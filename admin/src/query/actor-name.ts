import { useQuery } from "@tanstack/react-query";
import { octavo } from "../api/octavo.ts";
import { say } from "../language/say.ts";
import { useMay, useSession } from "../session-context.ts";

/**
 * Names the actor of a write: the person as the list told, the label of the token where this session may read it, otherwise
 * the start of its id.
 */
export function useActorName(): (id: string, name?: string) => string {
  const { token } = useSession();
  const { data = [] } = useQuery({
    queryKey: ["tokens"],
    queryFn: () => octavo.tokens.list(),
    enabled: useMay("admin"),
  });
  return (id, name) => {
    if (name !== undefined) return name;
    if (id === "octavo") return say("Octavo itself");
    const known = id === token.id ? token : data.find((one) => one.id === id);
    return known?.label || id.replace("person:", "").slice(0, 8);
  };
}
