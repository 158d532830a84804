-- KEYS: the set of open buckets, the buckets to merge, and the larger bucket to merge them into, if there is one. ARGV: 1
-- if there is a larger bucket, else 0; 1 if it becomes open, else 0; the number of bytes of a key before the name of the
-- bucket; and for each bucket the time until which it is kept, or an empty string if it does not expire.
-- Merges the buckets that are still open. Replies with their number.
local BEFORE = 3
local open, name_at = KEYS[1], tonumber(ARGV[3]) + 1
local count, into = #KEYS, nil
if ARGV[1] == '1' then
  into = KEYS[count]
  count = count - 1
end
local function name(key) return string.sub(key, name_at) end

local keys, names, kept_until = {}, {}, {}
for i = 2, count do
  local is_open = redis.pcall('SISMEMBER', open, name(KEYS[i]))
  if type(is_open) == 'table' then return is_open end
  if is_open == 1 then
    keys[#keys + 1] = KEYS[i]
    names[#names + 1] = name(KEYS[i])
    kept_until[#keys] = ARGV[BEFORE + i - 1]
  end
end
if #keys == 0 then return 0 end
if into then
  local merged = redis.pcall('PFMERGE', into, unpack(keys))
  if merged.err then return merged end
  local into_until = ARGV[BEFORE + count]
  if ARGV[2] == '1' then
    redis.call('PERSIST', into)
    redis.call('SADD', open, name(into))
  elseif into_until ~= '' then
    redis.call('PEXPIREAT', into, into_until)
  end
end
redis.call('SREM', open, unpack(names))
for i, key in ipairs(keys) do
  if kept_until[i] ~= '' then redis.call('PEXPIREAT', key, kept_until[i]) end
end
return #keys
