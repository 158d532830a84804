-- KEYS: those that say a bucket's form, of each form; the one to be set; and for the first visit the counter, and the shard
-- where there are shards. ARGV: what to set it to, until when the keys are kept, and how many forms there are.
-- Replies with 1 if it was set, with 0 if the bucket has a form.
local forms = tonumber(ARGV[3])
local form, counter, shard = KEYS[forms + 1], KEYS[forms + 2], KEYS[forms + 3]
if redis.call('EXISTS', unpack(KEYS, 1, forms)) > 0 then return 0 end
if is_over(ARGV[2]) then return NOT_KEPT end
if shard then
  local found = redis.pcall('SCARD', shard)
  if type(found) == 'table' then return found end
end
if counter then
  local why_not = refusal(counter, 1)
  if why_not then return why_not end
end
redis.call('SET', form, ARGV[1])
if ARGV[2] ~= '' then redis.call('PEXPIREAT', form, ARGV[2]) end
return 1
