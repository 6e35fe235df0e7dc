declare module "packed:*" {
  const source: string;
  export default source;
}
