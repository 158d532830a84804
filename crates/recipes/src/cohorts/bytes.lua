-- KEYS: bitmaps. ARGV: the number of a byte.
-- Replies with that byte of each of them, or with nothing where a bitmap ends before it.
local bytes = {}
for i, key in ipairs(KEYS) do
  local byte = redis.pcall('GETRANGE', key, ARGV[1], ARGV[1])
  if type(byte) == 'table' then return byte end
  bytes[i] = byte
end
return bytes
