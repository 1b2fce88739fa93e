import type { Json } from "./json.ts";
import { request } from "./request.ts";

export type RegistryItem = { key: string; value: Json; read_only: boolean };

const url = "/api/registry";

export const listRegistry = async (): Promise<RegistryItem[]> =>
  (await request<RegistryItem[]>("GET", "/api/registry/items", { query: { id: "" } })).data;

export const setRegistryItem = async (id: string, value: Json): Promise<void> =>
  void (await request("PUT", url, { body: { id, value } }));

export const deleteRegistryItem = async (id: string, keepalive: boolean): Promise<void> =>
  void (await request("DELETE", url, { body: { id }, keepalive }));
